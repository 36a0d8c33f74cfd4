// Builds the page into dist/: hashed assets, nothing inline, nothing from elsewhere (the server's CSP allows 'self').
import { defineConfig } from "vitest/config";
import solid from "vite-plugin-solid";

export default defineConfig({
  plugins: [solid()],
  base: "/",
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
