#!/usr/bin/env node
// This file must load on any Node that has modules, so that it can print which version is needed: it imports nothing of ours
// and no name that an old Node may lack.
import * as nodeModule from "node:module";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `elenchus needs Node 22.19 or newer, and this is Node ${process.versions.node}. Install a newer one, or put it first: npx --package node@24 --package elenchus elenchus\n`,
  );
  process.exitCode = 2;
} else {
  nodeModule.enableCompileCache?.();
  const { runCli } = await import("./program.ts");
  await runCli(process.argv.slice(2));
}
