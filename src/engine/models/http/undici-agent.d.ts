// undici has types for all of it, but not for its files.
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
