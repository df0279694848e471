import { expect, test } from "vitest";
import { mermaidLabel } from "./to-mermaid.ts";

test.each([
  ['say "hi"', "say #34;hi#34;"],
  ["a --> b", "a #45;#45;#62; b"],
  ["<script>", "#60;script#62;"],
  ["AT&T #1", "AT#38;T #35;1"],
  ["#quot;", "#35;quot#59;"],
  ["%%{init: {}}%%", "#37;#37;#123;init#58; #123;#125;#125;#37;#37;"],
  ["`code` \\n", "#96;code#96; #92;n"],
  ["style a:#f00;", "style a#58;#35;f00#59;"],
  ["fa:fa-car $$x$$", "fa#58;fa-car #36;#36;x#36;#36;"],
  ["direction TB", "directio#110; TB"],
  ["1. one", "1#46; one"],
  ["- one", "#45; one"],
  ["===", "#61;#61;#61;"],
  ["_em_ www.example.com", "#95;em#95; www#46;example.com"],
  ["ﬂ°°60¶ß", "ﬂ#176;#176;60#182;ß"],
])("encodes %j", (text, label) => {
  expect(mermaidLabel(text)).toBe(label);
});

test.each([
  "verify_result = true and parsed.n ≥ 3",
  "Are you sure? I'd say it is Sydney.",
  "which direction is well-known, left/right",
  "Straße 日本語 👩‍⚕️ …",
])("leaves %j readable", (text) => {
  expect(mermaidLabel(text)).toBe(text);
});
