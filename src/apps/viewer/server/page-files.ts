import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The built page: one document, one script, one style sheet. */
export interface PageFiles {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}

/** Reads the page out of the folder that the build has written. */
export function readPageFiles(folder: string): PageFiles {
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  if (!existsSync(join(folder, "index.html")))
    throw new Error(
      `The viewer's page is not in ${folder}. The installation is not complete: install elenchus again.`,
    );
  return { html: read("index.html"), script: read("viewer.js"), style: read("viewer.css") };
}

/** The document, with what its script needs to know before it asks for anything. */
export function pageWith(html: string, facts: Readonly<Record<string, string>>): string {
  const metas = Object.entries(facts).map(
    ([name, value]) => `<meta name="elenchus-${name}" content="${escapeHtml(value)}">`,
  );
  // A function: in a text, `$&` and others would stand for parts of the page.
  return html.replace("</head>", () => `${metas.join("")}</head>`);
}

/** A text as HTML that shows it. */
function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "&": "amp",
    "<": "lt",
    ">": "gt",
    '"': "quot",
    "'": "#39",
  };
  return text.replace(/[&<>"']/g, (character) => `&${names[character]};`);
}
