/** Colours of curves that are told apart by people with any vision (Okabe and Ito), without black and yellow. */
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7a5ad0', '#8a6d3b'];

/** Curves whose range is this small beside their values are constant. */
const FLAT = 1e-5;

/** A number with five digits. */
function shortNumber(value) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(2);
  return String(Number(value.toPrecision(5)));
}

/** Round numbers for the ticks of an axis. */
function ticks(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const found = [];
  for (let index = Math.ceil(low / step); index * step <= high + step * 1e-9; index++) found.push(Number((index * step).toPrecision(12)));
  return found;
}

/** A curve of the page, with its numbers. */
class Curve {
  constructor(described, bases, array) {
    Object.assign(this, described, { base: bases[described.times], shown: false, hidden: false, color: COLORS[0] });
    const [least, most] = described.range;
    const values = (of) => Float32Array.from(array(of), (code) => (code === 65535 ? NaN : least + (most - least) * code / 65534));
    this.low = values(described.low);
    this.high = described.high ? values(described.high) : null;
  }

  /** The value at a time: of dense curves the middle of what is around it. */
  at(time) {
    if (this.base.length === 0 || time < this.base[0] - 1e-6) return NaN;
    let index = lastUpTo(this.base, time + 1e-6);
    if (index + 1 < this.base.length && this.base[index + 1] - time < time - this.base[index]) index++;
    return this.high ? 0.5 * (this.low[index] + this.high[index]) : this.low[index];
  }

  /** Indices of the points between two times, and one on each side. */
  between(from, to) { return [lastUpTo(this.base, from), Math.min(this.base.length - 1, lastUpTo(this.base, to) + 1)]; }
}

/** The curves of one unit over time. */
class Panel {
  constructor(unit, clock) {
    this.unit = unit;
    this.clock = clock;
    this.curves = [];
    this.element = document.createElement('div');
    this.element.className = 'panel';
    this.canvas = this.element.appendChild(document.createElement('canvas'));
    this.legend = this.element.appendChild(document.createElement('div'));
    this.legend.className = 'legend';
    this.listen();
  }

  listen() {
    const { canvas, clock } = this;
    const timeAt = (event) => {
      const { left, width } = this.area();
      const share = (event.offsetX - left) / width;
      return clock.from + share * (clock.to - clock.from);
    };
    let held = null;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      held = { time: timeAt(event), moves: event.shiftKey || event.button !== 0 };
      if (!held.moves) clock.set(held.time);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!held) return;
      if (held.moves) clock.shift(held.time - timeAt(event)); else clock.set(timeAt(event));
    });
    canvas.addEventListener('pointerup', () => { held = null; });
    canvas.addEventListener('pointercancel', () => { held = null; });
    canvas.addEventListener('dblclick', () => clock.all());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      clock.zoom(timeAt(event), Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.002));
    }, { passive: false });
  }

  /** The part of the canvas with the curves, pixels of the page. */
  area() {
    const { clientWidth, clientHeight } = this.canvas;
    return { left: 58, top: 8, width: Math.max(10, clientWidth - 74), height: Math.max(10, clientHeight - 28) };
  }

  /** The range of the visible values. */
  range() {
    let [low, high] = [Infinity, -Infinity];
    for (const curve of this.curves) {
      if (curve.hidden) continue;
      const [first, last] = curve.between(this.clock.from, this.clock.to);
      for (let index = first; index <= last; index++) {
        for (const values of [curve.low, curve.high ?? curve.low]) {
          if (values[index] < low) low = values[index];
          if (values[index] > high) high = values[index];
        }
      }
    }
    if (!(low <= high)) return [0, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    // What moves less than the stored digits is at rest.
    const room = high - low > size * FLAT ? (high - low) * 0.06 : size * 0.05 || 1;
    return [low - room, high + room];
  }

  draw() {
    const { canvas, clock } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = canvas.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const area = this.area();
    const [low, high] = this.range();
    const x = (time) => area.left + (time - clock.from) / (clock.to - clock.from || 1) * area.width;
    const y = (value) => area.top + (high - value) / (high - low) * area.height;
    this.drawAxes(pen, area, [low, high], x, y);
    pen.save();
    pen.beginPath();
    pen.rect(area.left, area.top, area.width, area.height);
    pen.clip();
    for (const curve of this.curves) if (!curve.hidden) this.drawCurve(pen, curve, x, y);
    pen.restore();
    const style = getComputedStyle(document.documentElement);
    pen.strokeStyle = style.getPropertyValue('--mark');
    pen.lineWidth = 1.5;
    const now = x(clock.time);
    if (now >= area.left - 1 && now <= area.left + area.width + 1) {
      pen.beginPath();
      pen.moveTo(now, area.top);
      pen.lineTo(now, area.top + area.height);
      pen.stroke();
    }
    this.drawLegend();
  }

  drawAxes(pen, area, [low, high], x, y) {
    const style = getComputedStyle(document.documentElement);
    pen.strokeStyle = style.getPropertyValue('--line');
    pen.fillStyle = style.getPropertyValue('--faint');
    pen.font = '11px system-ui, sans-serif';
    pen.lineWidth = 1;
    pen.textBaseline = 'middle';
    pen.textAlign = 'right';
    pen.beginPath();
    for (const value of ticks(low, high, 5)) {
      pen.moveTo(area.left, y(value));
      pen.lineTo(area.left + area.width, y(value));
      pen.fillText(shortNumber(value), area.left - 4, y(value));
    }
    pen.textAlign = 'center';
    pen.textBaseline = 'top';
    for (const time of ticks(this.clock.from, this.clock.to, Math.max(2, area.width / 80))) {
      pen.moveTo(x(time), area.top);
      pen.lineTo(x(time), area.top + area.height);
      pen.fillText(`${shortNumber(time)} s`, x(time), area.top + area.height + 5);
    }
    pen.stroke();
    pen.textAlign = 'left';
    pen.fillText(this.unit, area.left + 4, area.top + 2);
  }

  drawCurve(pen, curve, x, y) {
    const [first, last] = curve.between(this.clock.from, this.clock.to);
    pen.strokeStyle = curve.color;
    pen.lineWidth = 1.4;
    pen.setLineDash(curve.run > 0 ? [5, 3] : []);
    pen.beginPath();
    // Of many points those of one pixel become its lowest and highest one.
    let [pixel, low, high, drawn] = [NaN, Infinity, -Infinity, false];
    let end = 0;
    // The least and the largest value of a dense curve are somewhere around its point: a slope is no staircase.
    const half = curve.high && curve.base.length > 1 ? 0.5 * (x(curve.base[1]) - x(curve.base[0])) : 0;
    const flush = () => {
      if (!(low <= high)) return;
      // The nearer one first: a slope is no saw.
      const [one, other] = drawn && Math.abs(high - end) < Math.abs(low - end) ? [high, low] : [low, high];
      if (drawn) pen.lineTo(pixel - half, y(one)); else pen.moveTo(pixel - half, y(one));
      if (other !== one || half > 0) pen.lineTo(pixel + half, y(other));
      [end, drawn] = [other, true];
    };
    for (let index = first; index <= last; index++) {
      const at = Math.round(x(curve.base[index]) * 2) / 2;
      const [least, most] = [curve.low[index], (curve.high ?? curve.low)[index]];
      if (at !== pixel || Number.isNaN(least)) {
        flush();
        [pixel, low, high] = [at, Infinity, -Infinity];
        if (Number.isNaN(least)) drawn = false;
      }
      if (least < low) low = least;
      if (most > high) high = most;
    }
    flush();
    pen.stroke();
    pen.setLineDash([]);
  }

  /** Builds the entries of the legend anew, after the curves have changed. */
  list(runs) {
    this.legend.replaceChildren(...this.curves.map((curve) => {
      const entry = document.createElement('button');
      const mark = entry.appendChild(document.createElement('i'));
      mark.style.background = curve.color;
      const name = runs.length > 1 ? `${curve.name} (${runs[curve.run]})` : curve.name;
      entry.append(`${name} `);
      curve.shownValue = entry.appendChild(document.createElement('span'));
      entry.title = `${curve.group}: click hides it`;
      const press = () => entry.setAttribute('aria-pressed', String(!curve.hidden));
      entry.addEventListener('click', () => { curve.hidden = !curve.hidden; press(); this.draw(); });
      press();
      return entry;
    }));
  }

  drawLegend() {
    for (const curve of this.curves) {
      if (curve.shownValue) curve.shownValue.textContent = shortNumber(curve.at(this.clock.time));
    }
  }
}
