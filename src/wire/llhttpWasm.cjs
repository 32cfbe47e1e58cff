// Wrapped, because a runtime that imports CommonJS copies every property of what it exports: those
// of a buffer are its 54,000 bytes, which took half of the start.
module.exports = { wasm: require("undici/lib/llhttp/llhttp_simd-wasm.js") };
