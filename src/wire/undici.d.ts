/** undici ships llhttp for its own use, without types. */
declare module "undici/lib/llhttp/llhttp_simd-wasm.js" {
  const wasm: Uint8Array<ArrayBuffer>;
  export default wasm;
}
