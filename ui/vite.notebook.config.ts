// Builds the page for notebooks into dist-notebook/: one module with everything in it, styles included.
import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

export default defineConfig({
  plugins: [solid()],
  publicDir: false,
  build: {
    target: "es2022",
    outDir: "dist-notebook",
    lib: { entry: "src/notebook.ts", formats: ["es"], fileName: () => "crosscut.js" },
  },
});
