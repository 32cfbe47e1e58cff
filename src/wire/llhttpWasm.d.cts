/** llhttp, compiled to WebAssembly as undici carries it. */
export declare const wasm: Uint8Array<ArrayBuffer>;
