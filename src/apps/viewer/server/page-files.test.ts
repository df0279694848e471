import { expect, test } from "vitest";
import { pageWith } from "./page-files.ts";

test.each(["$&", "$`", "$'", '"><script>alert(1)</script>', "a & b"])(
  "the name of a run is one attribute of the page, whatever it is: %s",
  (run) => {
    const html = pageWith('<html lang="en"><head><title>t</title></head><body></body></html>', { run });
    const [, content = "", rest] = /<meta name="elenchus-run" content="([^"<>]*)">(.*)$/s.exec(html) ?? [];
    expect(rest).toBe("</head><body></body></html>");
    const shown = content.replace(/&(?:#39|[a-z]+);/g, (entity) => NAMES[entity] ?? entity);
    expect(shown).toBe(run);
  },
);

const NAMES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
