import { join } from "node:path";
import type { Environment } from "../../../core/environment.ts";
import { sha256 } from "../../../core/values/hash.ts";
import { canonicalJson, isRecord } from "../../../core/values/json.ts";
import { TypedLines } from "../../../engine/models/person/typed-answer.ts";
import { readPrivateFile, userFolder, writePrivateFile } from "../../../system/files/private-file.ts";
import { realPath } from "../../../system/files/read-text-file.ts";
import { printableText } from "../../../system/terminal/printable-text.ts";
import type { Terminal } from "../../../system/terminal/terminal.ts";
import { ProjectError } from "../../project/project-error.ts";
import { isCi } from "../command.ts";
import type { Effect } from "./project-effects.ts";

/** A project file, and whether the command gives consent to what it asks for. */
interface ConsentRequest {
  /** Absolute. */
  readonly projectFile: string;
  /** True if `--trust` was given. */
  readonly trusts: boolean;
  /** True if the command only opens the store (default false). */
  readonly isAboutStore?: boolean;
}

/**
 * Returns if this user has consented to all effects of a project file: earlier, now in the terminal, or with `--trust`; both are
 * remembered. Otherwise throws a `ProjectError` that lists them.
 */
export async function requireConsent(
  effects: readonly Effect[],
  { projectFile, trusts, isAboutStore = false }: ConsentRequest,
  terminal: Terminal,
): Promise<void> {
  const { environment } = terminal;
  const open = withoutConsent(effects, projectFile, environment);
  if (open.length === 0) return;
  const file = printableText(projectFile);
  const lines = open.map(({ text }) => `  - ${printableText(text)}`).join("\n");
  const question = `${file} would:\n${lines}\nAllow this, and remember it for this project? [y/N] `;
  if (!trusts && (await confirm(question, terminal)) !== true)
    throw new ProjectError([
      `${file} needs your consent before it is used. It would:\n${lines}\nIf you want this, ${isAboutStore ? "name the store with --store, or give the command elenchus doctor --trust" : "give the command again with --trust"}, which is remembered for this project. Where nothing can be remembered, set ELENCHUS_TRUST=1.`,
    ]);
  giveConsent(open, projectFile, environment);
}

/** The effects that this user has not consented to. */
export function withoutConsent(
  effects: readonly Effect[],
  projectFile: string,
  environment: Environment,
): readonly Effect[] {
  if (effects.length === 0 || environment.ELENCHUS_TRUST === "1") return [];
  const given = new Set(consentsTo(projectFile, environment));
  return effects.filter((effect) => !given.has(hashOf(effect)));
}

/** Asks a question in the terminal: true for yes, undefined if no person can answer. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean | undefined> {
  const line = await readAnswer(question, terminal);
  return line === undefined ? undefined : /^y(?:es)?$/i.test(line);
}

/** Asks for a line in the terminal; undefined if no person can answer. */
export async function readAnswer(
  question: string,
  { input, messages, environment }: Terminal,
): Promise<string | undefined> {
  if (input.isTTY !== true || !messages.isTerminal || isCi(environment.CI)) return undefined;
  messages.write(question);
  const lines = await TypedLines.open(input);
  try {
    const line = await lines.next(new AbortController().signal);
    return typeof line === "object" ? line.text.trim() : undefined;
  } finally {
    lines.close();
  }
}

function hashOf({ content }: Effect): string {
  return sha256(canonicalJson(content));
}

/** How many consents a project keeps, the latest. */
const KEPT = 1000;

function consentsTo(projectFile: string, environment: Environment): readonly string[] {
  const path = consentFile(projectFile, environment);
  const text = path === undefined ? undefined : readPrivateFile(path);
  try {
    const kept: unknown = text === undefined ? undefined : JSON.parse(text);
    // The file may have been copied from another project.
    if (!isRecord(kept) || kept.project !== realPath(projectFile) || !Array.isArray(kept.consents)) return [];
    return kept.consents.filter((hash) => typeof hash === "string");
  } catch {
    return [];
  }
}

/** Keeps the consent of this user to effects of a project file. Where it cannot be kept, it holds for this command. */
export function giveConsent(effects: readonly Effect[], projectFile: string, environment: Environment): void {
  const path = consentFile(projectFile, environment);
  if (path === undefined) return;
  const before = consentsTo(projectFile, environment);
  const consents = [...new Set([...before, ...effects.map(hashOf)])].slice(-KEPT);
  writePrivateFile(path, `${JSON.stringify({ project: realPath(projectFile), consents }, null, 2)}\n`);
}

function consentFile(projectFile: string, environment: Environment): string | undefined {
  const folder = userFolder(environment);
  if (folder === undefined) return undefined;
  return join(folder, "trusted", `${sha256(realPath(projectFile)).slice(0, 32)}.json`);
}
