import type { QuickJSSyncVariant, QuickJSWASMModule } from "quickjs-emscripten-core";

const PAGE_BYTES = 65_536;

// What the engine is built for, and what its stack and its constants take of it.
const FIRST_PAGES = 256;
const FIXED_BYTES = 6 * 1024 * 1024;

/** What we need of WebAssembly, which is in every Node, but declared only for browsers. */
interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => object;
}

/** Makes engines, each with memory of its own, from code that is compiled once. */
export async function loadEngine(): Promise<(memoryBytes: number) => Promise<QuickJSWASMModule>> {
  const { readFile } = await import("node:fs/promises");
  const core = await import("quickjs-emscripten-core");
  const library = await import("@jitl/quickjs-wasmfile-release-sync");
  // The declarations of the library are those of its other format, which has one more `default`.
  const variant = library.default as unknown as QuickJSSyncVariant;
  // See the interface.
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyApi };
  const file = new URL(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
  const wasmModule = await WebAssembly.compile(await readFile(file));
  return (memoryBytes) => {
    // The engine's own limit does not count how large its allocations are; that of its memory cannot be passed.
    const maximum = Math.max(FIRST_PAGES, Math.ceil((memoryBytes + FIXED_BYTES) / PAGE_BYTES));
    const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum });
    return core.newQuickJSWASMModuleFromVariant(core.newVariant(variant, { wasmModule, wasmMemory }));
  };
}
