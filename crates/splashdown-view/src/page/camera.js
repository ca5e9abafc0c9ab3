// A camera that turns about a point, and the few matrices it takes.

export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(...a);
const unit = (a) => times(a, 1 / (length(a) || 1));

const FOV = (32 * Math.PI) / 180;

export class Camera {
  /** Looks at a box; all in coordinates of the page, with the middle of the box at the origin. */
  constructor({ half, up, flat }) {
    this.up = unit(up);
    this.flat = flat;
    // Axes across: z comes towards the viewer where it is not the vertical, as in most scenes.
    const towards = Math.abs(this.up[2]) > 0.9 ? [0, -1, 0] : [0, 0, 1];
    this.across = unit(cross(this.up, towards));
    this.towards = cross(this.across, this.up);
    this.half = half;
    this.aspect = 1;
    this.reset();
  }

  reset() {
    this.yaw = this.flat ? 0 : 0.5;
    this.pitch = this.flat ? 0 : 0.36;
    this.fit();
  }

  /** Far enough away to see all corners of the box, which is moved to the middle of the picture. */
  fit() {
    const { right, above, back } = this.axes();
    const corners = [];
    for (let k = 0; k < 8; k++) {
      const p = this.half.map((h, axis) => ((k >> axis) & 1 ? h : -h));
      corners.push([dot(p, right), dot(p, above), dot(p, back)]);
    }
    const tangent = Math.tan(FOV / 2) * 0.8; // room for what lies on the picture
    let distance = 0;
    for (const [x, y, z] of corners) {
      const depth = this.flat ? 0 : z;
      distance = Math.max(distance, Math.abs(y) / tangent + depth, Math.abs(x) / (tangent * this.aspect) + depth);
    }
    this.distance = distance || 1;
    this.radius = length(this.half) || 1;
    // A little higher than the middle: the colour bar lies below.
    this.target = times(above, -0.05 * this.distance * Math.tan(FOV / 2));
  }

  axes() {
    const [sy, cy, sp, cp] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    const level = add(times(this.across, sy), times(this.towards, cy));
    const back = add(times(level, cp), times(this.up, sp));
    const right = unit(sub(times(this.across, cy), times(this.towards, sy)));
    return { right, above: cross(back, right), back };
  }

  turn(dx, dy) {
    this.yaw -= dx * 0.006;
    this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + dy * 0.006));
  }

  /** Moves the target so that it follows the pointer; pixels of a picture of this height. */
  pan(dx, dy, height) {
    const { right, above } = this.axes();
    const scale = (2 * this.distance * Math.tan(FOV / 2)) / height;
    this.target = add(this.target, add(times(right, -dx * scale), times(above, dy * scale)));
  }

  /** Nearer or farther, towards a point of the picture given in units of half its height. */
  zoom(factor, [x, y] = [0, 0]) {
    const before = this.distance;
    this.distance = Math.min(200 * this.radius, Math.max(1e-3 * this.radius, this.distance * factor));
    const { right, above } = this.axes();
    const shift = (before - this.distance) * Math.tan(FOV / 2);
    this.target = add(this.target, add(times(right, x * shift), times(above, y * shift)));
  }

  /** View and projection, column by column as shaders want them. */
  matrices() {
    const { right, above, back } = this.axes();
    const eye = add(this.target, times(back, this.distance));
    const view = [
      right[0], above[0], back[0], 0, right[1], above[1], back[1], 0, right[2], above[2], back[2], 0,
      -dot(right, eye), -dot(above, eye), -dot(back, eye), 1,
    ];
    const reach = length(this.target) + 3 * this.radius;
    const far = this.distance + reach;
    const near = Math.max(this.distance - reach, far * 2e-4);
    const f = 1 / Math.tan(FOV / 2);
    let projection;
    if (this.flat) {
      const s = f / this.distance;
      projection = [s / this.aspect, 0, 0, 0, 0, s, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1];
    } else {
      projection = [
        f / this.aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0, (-2 * far * near) / (far - near), 0,
      ];
    }
    return { view, projection, eye, near, far };
  }
}
