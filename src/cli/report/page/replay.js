const VERTEX = `#version 300 es
layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 place; layout(location = 3) in vec3 tint;
uniform mat4 world, camera; uniform vec3 low, extent;
out vec3 point, facing, color; out vec2 uv;
void main() {
  vec4 at = world * vec4(low + extent * position, 1.0);
  point = at.xyz; facing = mat3(world) * normal; uv = place;
  color = pow(tint, vec3(2.2)); gl_Position = camera * at;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 point, facing, color; in vec2 uv;
uniform vec3 base, emissive, eye; uniform float opacity, gloss, exponent; uniform bool pictured; uniform vec4 ghost;
uniform sampler2D picture;
out vec4 pixel;
void main() {
  vec3 normal = normalize(gl_FrontFacing ? facing : -facing), back = normalize(eye - point);
  vec4 surface = vec4(base * color, opacity);
  if (pictured) surface *= texture(picture, uv);
  surface.rgb = mix(surface.rgb, ghost.rgb, ghost.a);
  vec3 sun = normalize(vec3(0.4, -0.5, 0.9));
  float light = 0.3 + 0.1 * normal.z + 0.45 * max(dot(normal, sun), 0.0) + 0.3 * max(dot(normal, back), 0.0);
  float highlight = gloss * 0.5 * pow(max(dot(normal, normalize(sun + back)), 0.0), max(exponent, 1.0));
  vec3 seen = surface.rgb * light + emissive + highlight;
  pixel = vec4(pow(clamp(seen, 0.0, 1.0), vec3(1.0 / 2.2)), surface.a);
}`;

const LINES = [`#version 300 es
layout(location = 0) in vec3 position; uniform mat4 camera;
void main() { gl_Position = camera * vec4(position, 1.0); gl_PointSize = 6.0; }`,
`#version 300 es
precision mediump float; uniform vec4 color; out vec4 pixel; void main() { pixel = color; }`];

/** Colours of the second run and further ones, linear, and how much they cover the model's own. */
const GHOSTS = [[0, 0, 0, 0], [0.9, 0.25, 0.02, 0.75], [0.02, 0.3, 0.9, 0.75], [0.1, 0.6, 0.1, 0.75]];

function program(gl, [vertex, fragment]) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const places = {};
  for (let index = 0; index < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); index++) {
    const { name } = gl.getActiveUniform(made, index);
    places[name] = gl.getUniformLocation(made, name);
  }
  return { made, places };
}

/** The force that few contacts exceed, N; impacts would make all others invisible. */
function usualForce(contacts) {
  const sizes = contacts.flatMap(({ forces }) => Array.from({ length: forces.length / 3 }, (_, at) => norm(forces.subarray(at * 3, at * 3 + 3))));
  return sizes.sort((one, other) => one - other)[Math.floor(sizes.length * 0.9)] ?? 0;
}

/** Draws the bodies of all runs at a time. */
class Replay {
  constructor(canvas, data) {
    const gl = canvas.getContext('webgl2', { antialias: true, alpha: true });
    if (!gl) throw new Error('this browser has no WebGL 2');
    Object.assign(this, { canvas, gl, solid: program(gl, [VERTEX, FRAGMENT]), lines: program(gl, LINES) });
    const { description, array } = data;
    this.times = array(description.times[0]);
    this.pictures = description.pictures.map((of) => this.picture(data.bytes(of)));
    this.meshes = description.meshes.map((mesh) => ({ ...mesh, parts: mesh.parts.map((part) => this.part(part, array)) }));
    this.runs = description.runs.map((run) => ({
      shown: true,
      bodies: run.bodies.map((body) => ({ ...body, positions: array(body.positions), rotations: array(body.rotations) })),
      contacts: run.contacts.map((of) => ({ first: array(of.first), positions: array(of.positions), forces: array(of.forces) })),
    }));
    this.unit = description.unit;
    this.lineBuffer = gl.createBuffer();
    this.lineArray = gl.createVertexArray();
    this.usualForce = usualForce(this.runs.flatMap((run) => run.contacts));
  }

  picture(bytes) {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array([200, 200, 200, 255]));
    const loaded = createImageBitmap(new Blob([bytes], { type: 'image/png' }), { premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
    const ready = loaded.then((bitmap) => {
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
      gl.generateMipmap(gl.TEXTURE_2D);
    });
    return { texture, ready };
  }

  part(part, array) {
    const { gl } = this;
    const vertices = gl.createVertexArray();
    gl.bindVertexArray(vertices);
    const attribute = (index, numbers, size, kind, normalized) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, size, kind, normalized, 0, 0);
    };
    attribute(0, array(part.positions), 3, gl.UNSIGNED_SHORT, true);
    attribute(1, array(part.normals), 3, gl.BYTE, true);
    if (part.places) attribute(2, array(part.places), 2, gl.FLOAT, false);
    if (part.colors) attribute(3, array(part.colors), 3, gl.UNSIGNED_BYTE, true);
    const indices = array(part.indices);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { ...part, vertices, count: indices.length };
  }

  /** Pose of a link between two frames. */
  pose(body, link, { frame, share }) {
    const links = body.links.length;
    const at = (index) => (Math.min(index, body.frames - 1) * links + link);
    const [a, b] = [at(frame), at(frame + 1)];
    const position = [0, 1, 2].map((k) => (body.positions[a * 3 + k] * (1 - share) + body.positions[b * 3 + k] * share) * this.unit);
    let turned = 0;
    for (let k = 0; k < 4; k++) turned += body.rotations[a * 4 + k] * body.rotations[b * 4 + k];
    const sign = turned < 0 ? -share : share;
    const rotation = [0, 1, 2, 3].map((k) => body.rotations[a * 4 + k] * (1 - share) + body.rotations[b * 4 + k] * sign);
    const size = Math.hypot(...rotation) || 1;
    return poseMatrix(position, rotation.map((part) => part / size));
  }

  /** The frame before a time, and the share of the next one. */
  moment(time) {
    const frame = Math.min(lastUpTo(this.times, time), Math.max(0, this.times.length - 2));
    const span = this.times[frame + 1] - this.times[frame];
    return { frame, share: span > 0 ? Math.min(1, Math.max(0, (time - this.times[frame]) / span)) : 0 };
  }

  /** The box around the bodies that move, or around all. */
  bounds(time) {
    const moment = this.moment(time);
    const bodies = this.runs.flatMap((run) => run.bodies);
    const of = (chosen) => {
      const [low, high] = [[1, 1, 1].map(() => Infinity), [1, 1, 1].map(() => -Infinity)];
      for (const body of chosen) {
        body.links.forEach((link, index) => {
          if (link.mesh === null) return;
          const { low: least, extent } = this.meshes[link.mesh];
          const pose = this.pose(body, index, moment);
          for (let corner = 0; corner < 8; corner++) {
            const point = moved(pose, [0, 1, 2].map((k) => least[k] + (corner >> k & 1) * extent[k]));
            for (let k = 0; k < 3; k++) { low[k] = Math.min(low[k], point[k]); high[k] = Math.max(high[k], point[k]); }
          }
        });
      }
      return low[0] <= high[0] ? [low, high] : null;
    };
    return of(bodies.filter((body) => body.moves)) ?? of(bodies) ?? [[-1, -1, -1], [1, 1, 1]];
  }

  draw(time, camera, { contacts }) {
    const { gl, canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.max(1, Math.round(canvas.clientWidth * ratio)), Math.max(1, Math.round(canvas.clientHeight * ratio))];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const matrix = camera.matrix(width / height);
    const moment = this.moment(time);
    const [solid, clear] = [[], []];
    this.runs.forEach((run, index) => {
      if (!run.shown) return;
      for (const body of run.bodies) {
        // Bodies at rest are the same in all runs.
        if (index > 0 && !body.moves) continue;
        body.links.forEach((link, at) => {
          if (link.mesh === null) return;
          const mesh = this.meshes[link.mesh];
          const world = this.pose(body, at, moment);
          const ghost = body.moves ? GHOSTS[index % GHOSTS.length] : GHOSTS[0];
          for (const part of mesh.parts) (part.opacity < 1 ? clear : solid).push({ mesh, part, world, ghost });
        });
      }
    });
    gl.useProgram(this.solid.made);
    gl.uniformMatrix4fv(this.solid.places.camera, false, matrix);
    gl.uniform3fv(this.solid.places.eye, camera.eye());
    solid.forEach((one) => this.drawPart(one));
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    clear.forEach((one) => this.drawPart(one));
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    if (contacts) this.drawContacts(moment, matrix, camera.distance);
    gl.bindVertexArray(null);
    return matrix;
  }

  drawPart({ mesh, part, world, ghost }) {
    const { gl, solid: { places } } = this;
    gl[part.two_sided ? 'disable' : 'enable'](gl.CULL_FACE);
    gl.uniformMatrix4fv(places.world, false, world);
    gl.uniform3fv(places.low, mesh.low);
    gl.uniform3fv(places.extent, mesh.extent);
    gl.uniform3fv(places.base, part.color);
    gl.uniform3fv(places.emissive, part.emissive);
    gl.uniform1f(places.opacity, part.opacity);
    gl.uniform1f(places.gloss, part.gloss);
    gl.uniform1f(places.exponent, part.exponent);
    gl.uniform4fv(places.ghost, ghost);
    gl.uniform1i(places.pictured, part.picture === undefined ? 0 : 1);
    if (part.picture !== undefined) {
      gl.bindTexture(gl.TEXTURE_2D, this.pictures[part.picture].texture);
      const wrap = part.repeat.map((repeats) => (repeats ? gl.REPEAT : gl.CLAMP_TO_EDGE));
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, wrap[0]);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, wrap[1]);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    }
    gl.bindVertexArray(part.vertices);
    if (!part.colors) gl.vertexAttrib3f(3, 1, 1, 1);
    gl.drawElements(gl.TRIANGLES, part.count, gl.UNSIGNED_INT, 0);
  }

  /** Points and forces of the nearer frame. */
  drawContacts({ frame, share }, matrix, distance) {
    const { gl } = this;
    const near = Math.min(this.times.length - 1, frame + (share >= 0.5 ? 1 : 0));
    gl.useProgram(this.lines.made);
    gl.uniformMatrix4fv(this.lines.places.camera, false, matrix);
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.disable(gl.DEPTH_TEST);
    const length = this.usualForce > 0 ? 0.12 * distance / this.usualForce : 0;
    this.runs.forEach((run, index) => {
      if (!run.shown) return;
      const [points, arrows] = [[], []];
      for (const { first, positions, forces } of run.contacts) {
        for (let at = first[near]; at < first[near + 1]; at++) {
          const from = [0, 1, 2].map((k) => positions[at * 3 + k] * this.unit);
          points.push(...from);
          arrows.push(...from, ...from.map((part, k) => part + forces[at * 3 + k] * length));
        }
      }
      const color = index === 0 ? [0.86, 0.15, 0.15, 1] : [0.15, 0.3, 0.86, 1];
      gl.uniform4fv(this.lines.places.color, color);
      for (const [numbers, kind] of [[points, gl.POINTS], [arrows, gl.LINES]]) {
        gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW);
        gl.drawArrays(kind, 0, numbers.length / 3);
      }
    });
    gl.enable(gl.DEPTH_TEST);
  }

  /** Names of the links of moving bodies, at their origins in the picture. */
  names(time, matrix) {
    const moment = this.moment(time);
    const found = [];
    this.runs.forEach((run) => {
      if (!run.shown) return;
      for (const body of run.bodies.filter((one) => one.moves)) {
        body.links.forEach((link, index) => {
          const pose = this.pose(body, index, moment);
          const at = [pose[12], pose[13], pose[14]];
          const depth = matrix[3] * at[0] + matrix[7] * at[1] + matrix[11] * at[2] + matrix[15];
          if (depth <= 0) return;
          const [x, y] = moved(matrix, at);
          found.push({ name: link.name, x: 0.5 + 0.5 * x / depth, y: 0.5 - 0.5 * y / depth });
        });
      }
    });
    return found;
  }

  /** Position of the first moving body. */
  center(time) {
    const body = this.runs.flatMap((run) => run.bodies).find((one) => one.moves);
    if (!body) return null;
    const pose = this.pose(body, 0, this.moment(time));
    return [pose[12], pose[13], pose[14]];
  }
}
