// The binary forms of frames and meshes; `frame.rs` and `mesh.rs` describe them byte by byte.

function magic(view, expected) {
  const name = String.fromCharCode(...new Uint8Array(view.buffer, 0, 4));
  if (name !== expected || view.getUint32(4, true) !== 1) throw new Error(`not a ${expected} of version 1`);
}

const doubles = (view, at, n) => Array.from({ length: n }, (_, k) => view.getFloat64(at + 8 * k, true));

/** Particles, as views of the buffer that can go to the graphics card as they are. */
export function decodeFrame(buffer) {
  const view = new DataView(buffer);
  magic(view, "SPDF");
  const count = view.getUint32(8, true);
  return {
    count,
    index: view.getUint32(12, true),
    time: view.getFloat64(16, true),
    corner: doubles(view, 24, 3),
    size: doubles(view, 48, 3),
    extremes: [view.getFloat32(72, true), view.getFloat32(76, true)],
    places: new Uint16Array(buffer, 96, 4 * count),
    values: view.getUint32(88, true) ? new Uint16Array(buffer, 96 + 8 * count, count) : null,
    bytes: buffer.byteLength,
  };
}

/** Bodies or liquid surfaces. */
export function decodeMesh(buffer) {
  const view = new DataView(buffer);
  magic(view, "SPDM");
  const mesh = {
    origin: doubles(view, 16, 3),
    extremes: [view.getFloat32(40, true), view.getFloat32(44, true)],
    usual: [view.getFloat32(48, true), view.getFloat32(52, true)],
    parts: [],
    bytes: buffer.byteLength,
  };
  let at = 64;
  const take = (Type, n) => {
    const array = new Type(buffer, at, n);
    at += Math.ceil(array.byteLength / 4) * 4;
    return array;
  };
  for (let k = view.getUint32(8, true); k > 0; k--) {
    const [kind, number, vertices, indices, lines] = take(Uint32Array, 8);
    mesh.parts.push({
      kind,
      number,
      places: take(Float32Array, 3 * vertices),
      normals: take(Int8Array, 4 * vertices),
      values: take(Uint16Array, vertices),
      corners: take(Uint32Array, indices),
      lines: take(Float32Array, 6 * lines),
    });
  }
  return mesh;
}
