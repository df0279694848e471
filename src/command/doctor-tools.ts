import type { Environment } from "../model/base-url.ts";
import { ModelError } from "../model/model-error.ts";
import { secretQueryValues } from "../model/secret-data.ts";
import type { Settings } from "../project/settings.ts";
import { resolveToolServers } from "../tool/resolve-tool-servers.ts";
import type { ToolServer } from "../tool/tool-server.ts";
import { errorMessage } from "../value/error-message.ts";
import { redactSecrets } from "../value/redact-secrets.ts";
import type { DoctorSection, Finding } from "./doctor-finding.ts";

/** The tool servers of a project, and whether all that they refer to is there; none is started or called. */
export function toolsSection(tools: Settings["tools"], environment: Environment): DoctorSection {
  const findings = Object.entries(tools).flatMap(([name, server]): readonly Finding[] => {
    try {
      const secrets = resolveToolServers({ [name]: server }, environment).flatMap((one) => one.secrets);
      return [{ level: "fine", text: `${name}: ${redactSecrets(serverText(server), secrets)}` }];
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return errorMessage(error)
        .split("\n")
        .map((text) => ({ level: "broken", text }));
    }
  });
  return { title: "Tool servers (MCP)", findings };
}

function serverText(server: ToolServer): string {
  if ("url" in server) return `${redactSecrets(server.url, secretQueryValues(server.url))} (not called)`;
  return `${[server.command, ...openArguments(server.args ?? [])].join(" ")} (not started)`;
}

const SECRET_FLAG = /^--?[\w-]*(?:key|token|secret|pass|auth|credential|cookie|pwd)[\w-]*/i;

/** Arguments of a program without those that a flag says are secret: `--token …`, `--token=…`. */
function openArguments(given: readonly string[]): readonly string[] {
  return given.map((argument, index) => {
    const isValue = SECRET_FLAG.exec(given[index - 1] ?? "")?.[0] === given[index - 1];
    if (isValue && !argument.startsWith("-")) return "[redacted]";
    const flag = SECRET_FLAG.exec(argument)?.[0];
    return flag !== undefined && argument[flag.length] === "=" ? `${flag}=[redacted]` : argument;
  });
}
