export { type CallRepetition, callIdentity } from "../models/call-identity.ts";
export { Cassette } from "../models/cassette/cassette.ts";
export { readCassette, writeCassette } from "../models/cassette/cassette-file.ts";
export {
  type CassetteModelOptions,
  cassetteModel,
  recordingModel,
} from "../models/cassette/cassette-model.ts";
export { explainMiss } from "../models/cassette/explain-miss.ts";
export { type CallRequest, callRequest, type RecordedCall } from "../models/cassette/recorded-call.ts";
export {
  type FunctionContext,
  type FunctionModelOptions,
  functionModel,
  type ReplyFunction,
} from "../models/function/function-model.ts";
export { type HttpModelOptions, httpModel } from "../models/http/http-model.ts";
export type {
  AssistantMessage,
  Message,
  ToolCall,
  ToolMessage,
  ToolResult,
  UserMessage,
} from "../models/message.ts";
export type {
  CallContext,
  FinishReason,
  Model,
  ModelCard,
  ModelReply,
  ModelRequest,
  RateLimitHints,
  SimulatedModel,
  SimulationInput,
  ToolDefinition,
  Usage,
} from "../models/model.ts";
export { type PersonModelOptions, personModel } from "../models/person/person-model.ts";
export {
  type KnownProvider,
  knownProviders,
  type ProviderConfig,
  type ProviderKind,
} from "../models/providers/provider.ts";
export { type ResolveOptions, resolveModel } from "../models/resolve-model.ts";
export { simulatedModel } from "../models/simulated/simulated-model.ts";
export { SIMULATED_SUBJECTS, type SimulatedSubject } from "../models/simulated/simulated-subjects.ts";
export type { ToolEndpoint, ToolProcess, ToolServer } from "../models/tools/resolve-tool-servers.ts";
