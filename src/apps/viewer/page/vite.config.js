// One script that is no module, one style sheet: so the page also opens from a disk, where browsers load no modules.
import { copyFileSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

export default {
  root: path("."),
  logLevel: "warn",
  plugins: [
    react(),
    {
      // Maps, colour schemes and dates of Plot, which no picture here uses: 18 kB of what every page loads.
      name: "without-maps",
      enforce: "pre",
      load: (id) => {
        if (!/\/d3-(?:geo|scale-chromatic|time-format)\.mjs$/.test(id)) return undefined;
        const [, list = ""] = /export \{([^}]*)\};?\s*$/.exec(readFileSync(id, "utf8")) ?? [];
        const names = list.split(",").map((part) => part.trim().split(" ").at(-1));
        return names.map((name) => `export const ${name} = () => undefined;`).join("\n");
      },
    },
    {
      name: "page",
      closeBundle: () => copyFileSync(path("./index.html"), path("../../../../dist/viewer/index.html")),
    },
  ],
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    outDir: path("../../../../dist/viewer"),
    emptyOutDir: true,
    target: "es2023",
    reportCompressedSize: false,
    lib: {
      entry: path("./main.tsx"),
      formats: ["iife"],
      name: "elenchusViewer",
      fileName: () => "viewer.js",
      cssFileName: "viewer",
    },
  },
};
