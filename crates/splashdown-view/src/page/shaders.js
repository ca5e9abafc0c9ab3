// What runs on the graphics card.

const HEAD = `#version 300 es
precision highp float;
precision highp int;
`;

// Colours by value or by the number of the fluid, in linear light.
const COLOR = `
uniform sampler2D ramp;
uniform sampler2D palette;
uniform vec2 extremes;
uniform vec2 range;
uniform int mode; // 0: ramp, 1: palette
vec3 linear(vec3 c) { return pow(c, vec3(2.2)); }
vec3 colorOf(float value, float number) {
  if (mode == 1) return linear(texelFetch(palette, ivec2(int(number) % textureSize(palette, 0).x, 0), 0).rgb);
  if (value > 65534.5) return vec3(0.25); // not a number
  float v = mix(extremes.x, extremes.y, value / 65534.0);
  float t = clamp((v - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
  float w = float(textureSize(ramp, 0).x);
  return linear(texture(ramp, vec2((t * (w - 1.0) + 0.5) / w, 0.5)).rgb);
}
`;

// Light from the upper left behind the viewer, and from the sky.
const LIGHT = `
uniform vec3 up; // seen from the camera
vec3 lit(vec3 color, vec3 n, vec3 toEye, float shine) {
  vec3 sun = normalize(vec3(-0.45, 0.65, 0.75));
  float sky = 0.5 + 0.5 * dot(n, up);
  vec3 light = mix(vec3(0.30, 0.31, 0.34), vec3(0.66, 0.68, 0.72), sky) + vec3(0.62, 0.60, 0.56) * max(dot(n, sun), 0.0);
  float glint = pow(max(dot(n, normalize(sun + toEye)), 0.0), 48.0) * shine;
  return color * light + glint;
}
vec3 screen(vec3 c) { return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)); }
`;

export const particles = {
  vertex: HEAD + COLOR + `
layout(location = 0) in vec4 place; // 0 to 65535 in the box, and the fluid
layout(location = 1) in float value;
uniform mat4 view, projection;
uniform vec3 corner, size;
uniform float radius, pixels;
out vec3 color;
out float depth;
void main() {
  vec4 p = view * vec4(corner + place.xyz / 65535.0 * size, 1.0);
  gl_Position = projection * p;
  gl_PointSize = max(2.0 * radius * pixels / gl_Position.w, 1.5);
  depth = p.z;
  color = colorOf(value, place.w);
}`,
  // EXACT gives spheres their own depth; without it, they are discs and cost less.
  fragment: (exact) => HEAD + LIGHT + `
in vec3 color;
in float depth;
uniform mat4 projection;
uniform float radius;
out vec4 shown;
void main() {
  vec2 c = gl_PointCoord * 2.0 - 1.0;
  float r2 = dot(c, c);
  if (r2 > 1.0) discard;
  vec3 n = vec3(c.x, -c.y, sqrt(1.0 - r2));
  shown = vec4(screen(lit(color, n, vec3(0.0, 0.0, 1.0), 0.12)), 1.0);
  ${exact ? `
  vec2 z = (projection * vec4(0.0, 0.0, depth + n.z * radius, 1.0)).zw;
  gl_FragDepth = 0.5 * z.x / z.y + 0.5;` : ""}
}`,
};

export const mesh = {
  vertex: HEAD + COLOR + `
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in float value;
uniform mat4 view, projection;
uniform vec3 offset, fixedColor;
uniform int byValue;
uniform float number;
out vec3 color, n, p;
void main() {
  vec4 q = view * vec4(place + offset, 1.0);
  gl_Position = projection * q;
  p = q.xyz;
  n = mat3(view) * normal;
  color = byValue == 1 ? colorOf(value, number) : linear(fixedColor);
}`,
  fragment: HEAD + LIGHT + `
in vec3 color, n, p;
uniform int flat2d;
uniform int byValue, isWall;
uniform float alpha;
out vec4 shown;
void main() {
  vec3 toEye = normalize(-p);
  vec3 m = normalize(n);
  if (dot(m, toEye) < 0.0) m = -m;
  if (flat2d == 1) { shown = vec4(screen(color), alpha); return; }
  vec3 c = lit(color, m, toEye, byValue == 1 ? 0.45 : 0.05);
  if (isWall == 1) c = mix(c, color, 0.7); // walls stay in the background
  if (byValue == 1) { // water mirrors the sky where it is seen at a slant
    float slant = 1.0 - max(dot(m, toEye), 0.0);
    c = mix(c, vec3(0.82, 0.88, 0.94), 0.55 * pow(slant, 4.0));
  }
  shown = vec4(screen(c), alpha);
}`,
};

export const lines = {
  vertex: HEAD + `
layout(location = 0) in vec3 place;
uniform mat4 view, projection;
uniform vec3 offset;
void main() { gl_Position = projection * view * vec4(place + offset, 1.0); }`,
  fragment: HEAD + `
uniform vec4 ink;
out vec4 shown;
void main() { shown = ink; }`,
};

// The ground: a grid that fades with the distance from the scene.
export const ground = {
  vertex: HEAD + `
uniform mat4 view, projection;
uniform vec3 center, sideA, sideB;
uniform float reach;
out vec2 at;
void main() {
  vec2 c = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  at = c * reach;
  gl_Position = projection * view * vec4(center + sideA * at.x + sideB * at.y, 1.0);
}`,
  fragment: HEAD + `
in vec2 at;
uniform float reach, cell;
uniform vec3 groundColor, gridColor;
uniform vec2 middle;
out vec4 shown;
float grid(vec2 p) {
  vec2 w = fwidth(p) * 1.1;
  vec2 d = abs(fract(p - 0.5) - 0.5);
  vec2 l = 1.0 - smoothstep(w * 0.5, w * 1.5, d);
  float fade = 1.0 - clamp(max(w.x, w.y) * 2.5, 0.0, 1.0);
  return max(l.x, l.y) * fade;
}
void main() {
  float fade = 1.0 - smoothstep(0.12, 0.95, length(at) / reach);
  float lines = max(grid((at + middle) / cell) * 0.55, grid((at + middle) / (5.0 * cell)));
  shown = vec4(mix(groundColor, gridColor, lines), fade * mix(0.75, 1.0, lines));
}`,
};

// Backdrop, darkened corners between particles, and the picture itself.
export const finish = {
  vertex: HEAD + `
out vec2 uv;
void main() {
  uv = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
  gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0);
}`,
  fragment: HEAD + `
in vec2 uv;
uniform sampler2D picture, depths;
uniform vec2 nearFar;
uniform float reach; // how deep a hollow must be to be dark
uniform int isFlat;
uniform float spread;
out vec4 shown;
float distanceAt(vec2 p) {
  float d = texture(depths, p).r;
  if (d >= 1.0) return 1e30;
  return isFlat == 1 ? mix(nearFar.x, nearFar.y, d) : nearFar.x * nearFar.y / (nearFar.y - d * (nearFar.y - nearFar.x));
}
void main() {
  vec4 c = texture(picture, uv);
  float z = distanceAt(uv);
  float dark = 0.0;
  if (z < 1e29 && isFlat == 0) {
    vec2 pixel = spread / vec2(textureSize(depths, 0));
    for (int k = 0; k < 12; k++) {
      float a = 0.5236 * float(k);
      float r = k % 3 == 0 ? 1.0 : k % 3 == 1 ? 2.6 : 5.0;
      float deeper = (z - distanceAt(uv + pixel * r * vec2(cos(a), sin(a)))) / reach;
      dark += clamp(deeper, 0.0, 1.0) * (1.0 - smoothstep(2.5, 9.0, deeper));
    }
    dark /= 12.0;
  }
  shown = vec4(c.rgb * (1.0 - 0.6 * dark), 1.0);
}`,
};

export const backdrop = {
  vertex: finish.vertex,
  fragment: HEAD + `
in vec2 uv;
uniform vec3 sky, horizon;
out vec4 shown;
void main() { shown = vec4(mix(horizon, sky, smoothstep(0.05, 1.0, uv.y)), 1.0); }`,
};
