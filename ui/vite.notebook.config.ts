// Builds the page for notebooks into dist-notebook/: one module with everything in it, styles included. Not as a "library",
// which would not be made small.
import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

export default defineConfig({
  plugins: [solid()],
  publicDir: false,
  build: {
    target: "es2022",
    outDir: "dist-notebook",
    modulePreload: false,
    rolldownOptions: {
      input: "src/notebook.ts",
      preserveEntrySignatures: "strict",
      output: { format: "es", entryFileNames: "crosscut.js", codeSplitting: false },
    },
  },
});
