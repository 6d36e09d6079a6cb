/** Kinds of numbers: the array, that of their bits, and their bytes. */
const KINDS = {
  u8: [Uint8Array, Uint8Array, 1], i8: [Int8Array, Uint8Array, 1],
  u16: [Uint16Array, Uint16Array, 2], i16: [Int16Array, Uint16Array, 2],
  u32: [Uint32Array, Uint32Array, 4], i32: [Int32Array, Uint32Array, 4], f32: [Float32Array, Uint32Array, 4],
};

/** The data of the page, as `pack.rs` writes them: their description, and a reader of arrays and of bytes. */
async function unpack(text) {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) packed[at] = letters.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const all = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(all.buffer).getUint32(0, true);
  const description = JSON.parse(new TextDecoder().decode(all.subarray(4, 4 + length)));
  const binary = all.subarray(4 + length);
  const array = ({ kind, at, count, stride }) => {
    const [Numbers, Bits, width] = KINDS[kind];
    const bytes = new Uint8Array(count * width);
    for (let plane = 0; plane < width; plane++) {
      const from = at + plane * count;
      for (let index = 0; index < count; index++) bytes[index * width + plane] = binary[from + index];
    }
    if (stride > 0) {
      const bits = new Bits(bytes.buffer);
      for (let index = 0; index < count; index++) {
        const folded = bits[index];
        bits[index] = ((folded >>> 1) ^ -(folded & 1)) + (index >= stride ? bits[index - stride] : 0);
      }
    }
    return new Numbers(bytes.buffer);
  };
  return { description, array, bytes: ({ at, count }) => binary.slice(at, at + count) };
}

/** Index of the last of the rising numbers that is not above `value`; 0 if all are. */
function lastUpTo(numbers, value) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= value) low = middle + 1; else high = middle;
  }
  return Math.max(0, low - 1);
}
