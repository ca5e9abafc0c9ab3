//! Where particles come from: shapes, meshes, sampling and filling.
