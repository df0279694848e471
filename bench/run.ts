// Run by `npm run bench`, which builds first: what is measured is what is shipped.
import { availableParallelism } from "node:os";
import { benchImport } from "./import.ts";
import { benchJudgeRequest } from "./judge-request.ts";
import { benchOutcomes } from "./outcomes.ts";
import { benchRouting } from "./routing.ts";
import { benchTypeCheck } from "./type-check.ts";
import { benchValidation } from "./validation.ts";
import { benchVerification } from "./verification.ts";

console.log(`Node ${process.version}, ${availableParallelism()} cores\n`);
for (const bench of [
  benchImport,
  benchValidation,
  benchRouting,
  benchOutcomes,
  benchVerification,
  benchJudgeRequest,
  benchTypeCheck,
]) {
  bench();
  console.log();
}
