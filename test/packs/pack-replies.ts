import { readFileSync } from "node:fs";

/** A reply to a node of a pack's item, and the verdict of a careful reader. */
export interface PackReply {
  readonly scenario: string;
  readonly node: string;
  readonly verdict: "right" | "wrong" | "unread";
  readonly reply: string;
}

/** The labelled replies to a pack. */
export function packReplies(pack: string): readonly PackReply[] {
  const text = readFileSync(new URL(`${pack}-replies.txt`, import.meta.url), "utf8");
  let [slug, node] = ["", ""];
  return text.split("\n").flatMap((line): PackReply[] => {
    const heading = /^\[(\S+) (\S+)\]$/.exec(line);
    if (heading !== null) [, slug = "", node = ""] = heading;
    const [, verdict, reply = ""] = /^(right|wrong|unread) \| (.+)$/.exec(line) ?? [];
    if (verdict === undefined) return [];
    return [
      {
        scenario: `${pack}/${slug}`,
        node,
        verdict: verdict as PackReply["verdict"],
        reply: reply.replaceAll("⏎", "\n"),
      },
    ];
  });
}
