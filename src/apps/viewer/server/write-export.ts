import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RunSummary } from "../../../engine/journal/store/store.ts";
import { FileError, writeWholeFile } from "../../../system/files/write-whole-file.ts";
import { type ExportOptions, type ExportPiece, exportPieces } from "./export-pieces.ts";
import { type PageFiles, pageWith } from "./page-files.ts";
import type { Viewed } from "./run-data.ts";

/** Where and how an export is written. */
interface WriteOptions extends ExportOptions {
  /** A folder, or a file if all is to be in one. */
  readonly path: string;
  /** The folder that the path is relative to. */
  readonly folder: string;
  readonly isSingle: boolean;
}

/** What was written. */
interface WrittenExport {
  /** The file to open. */
  readonly file: string;
  readonly bytes: number;
}

/** Writes a run as pages that open from a disk: a folder with parts that are loaded when needed, or one file. */
export async function writeExport(
  viewed: Viewed,
  summary: RunSummary,
  page: PageFiles,
  options: WriteOptions,
): Promise<WrittenExport> {
  return options.isSingle
    ? writeFile(viewed, summary, page, options)
    : writeFolder(viewed, summary, page, options);
}

async function writeFolder(
  viewed: Viewed,
  summary: RunSummary,
  page: PageFiles,
  options: WriteOptions,
): Promise<WrittenExport> {
  const { path, folder } = options;
  const full = join(folder, path);
  if (existsSync(full) && (!statSync(full).isDirectory() || readdirSync(full).length > 0))
    throw new FileError(
      `${path} exists already and is not an empty folder. Choose another name, or delete it first.`,
    );
  let bytes = 0;
  const write = async (name: string, text: string): Promise<void> => {
    bytes += Buffer.byteLength(text);
    await writeWholeFile(join(path, name), [text], { folder });
  };
  await write("viewer.js", page.script);
  await write("viewer.css", page.style);
  for await (const piece of exportPieces(viewed, summary, options)) {
    await write(
      join("data", `${piece.name}.js`),
      `elenchusData(${JSON.stringify(piece.name)},"${piece.text}");\n`,
    );
  }
  // Last: where it exists, the export is complete.
  const policy = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src data: blob:";
  await write("index.html", withPolicy(pageWith(page.html, facts(summary, "folder", options)), policy));
  return { file: join(path, "index.html"), bytes };
}

async function writeFile(
  viewed: Viewed,
  summary: RunSummary,
  page: PageFiles,
  options: WriteOptions,
): Promise<WrittenExport> {
  const { path, folder } = options;
  const file = path.endsWith(".html") ? path : `${path}.html`;
  if (existsSync(join(folder, file)))
    throw new FileError(`${file} exists already. Choose another name, or delete it first.`);
  // A script ends where `</script` stands, even within a text of it.
  const script = page.script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(page.style)}'; img-src data: blob:`;
  const [head = "", rest = ""] = withPolicy(pageWith(page.html, facts(summary, "file", options)), policy)
    .replace('<link rel="stylesheet" href="./viewer.css">', () => `<style>${page.style}</style>`)
    .split('<script src="./viewer.js"></script>');
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<string> {
    for await (const text of documentWith(
      head,
      exportPieces(viewed, summary, options),
      `<script>${script}</script>${rest}`,
    )) {
      bytes += Buffer.byteLength(text);
      yield text;
    }
  };
  await writeWholeFile(file, counted(), { folder });
  return { file, bytes };
}

async function* documentWith(
  head: string,
  pieces: AsyncIterable<ExportPiece>,
  rest: string,
): AsyncGenerator<string> {
  yield head;
  for await (const { name, text } of pieces)
    yield `<script type="text/plain" id="data-${name}">${text}</script>\n`;
  yield rest;
}

function facts(
  { run }: RunSummary,
  kind: "folder" | "file",
  { hasTexts }: ExportOptions,
): Readonly<Record<string, string>> {
  return { export: kind, run, texts: hasTexts ? "yes" : "no" };
}

function withPolicy(html: string, policy: string): string {
  return html.replace("<head>", `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy}">`);
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
