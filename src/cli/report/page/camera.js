/** Vertical angle of view, rad. */
const ANGLE = Math.PI / 4;

/** A camera that turns around a point; +Z stays up. */
class Camera {
  constructor(canvas, changed) {
    Object.assign(this, { target: [0, 0, 0], distance: 3, yaw: -Math.PI / 4, pitch: 0.4, canvas, changed });
    const pointers = new Map();
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    const forget = (event) => pointers.delete(event.pointerId);
    canvas.addEventListener('pointerup', forget);
    canvas.addEventListener('pointercancel', forget);
    canvas.addEventListener('pointermove', (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const [x, y] = [event.clientX - before[0], event.clientY - before[1]];
      if (pointers.size > 1) {
        const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
        const far = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]);
        this.zoom(far(before) / (far([event.clientX, event.clientY]) || 1));
        this.move(x / 2, y / 2);
      } else if (event.buttons & 2 || event.shiftKey) {
        this.move(x, y);
      } else {
        this.yaw -= x * 0.008;
        this.pitch = Math.min(1.56, Math.max(-1.56, this.pitch + y * 0.008));
      }
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      changed();
    });
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.0015));
      changed();
    }, { passive: false });
  }

  zoom(factor) { this.distance = Math.min(1e5, Math.max(1e-3, this.distance * factor)); }

  /** Moves along the picture by pixels. */
  move(x, y) {
    const back = this.back();
    const right = unit(cross([0, 0, 1], back));
    const step = 2 * this.distance * Math.tan(ANGLE / 2) / (this.canvas.clientHeight || 1);
    this.target = sum(this.target, sum(scaled(right, -x * step), scaled(cross(back, right), y * step)));
  }

  /** Direction from the target to the camera. */
  back() {
    const flat = Math.cos(this.pitch);
    return [flat * Math.cos(this.yaw), flat * Math.sin(this.yaw), Math.sin(this.pitch)];
  }

  eye() { return sum(this.target, scaled(this.back(), this.distance)); }

  look(eye, target) {
    const back = difference(eye, target);
    this.target = [...target];
    this.distance = norm(back) || 1;
    this.yaw = Math.atan2(back[1], back[0]);
    this.pitch = Math.asin(Math.max(-0.9999, Math.min(0.9999, back[2] / this.distance)));
  }

  /** Looks at a box from ahead on the right, slightly above. */
  frame(low, high) {
    this.target = scaled(sum(low, high), 0.5);
    this.distance = Math.max(1e-3, norm(difference(high, low)) * 0.5 / Math.sin(ANGLE / 2) * 1.05);
    this.yaw = -Math.PI / 4;
    this.pitch = 0.35;
  }

  /** From the world to the picture. */
  matrix(aspect) {
    const near = Math.max(1e-4, this.distance * 0.01);
    return product(perspective(ANGLE, aspect, near, near * 1e5), lookAt(this.eye(), this.target));
  }
}
