import { join } from "node:path";

/** Where the repository is, said by the build: what is bundled lies elsewhere. */
declare const benchRoot: string | undefined;

export const root = typeof benchRoot === "string" ? benchRoot : join(import.meta.dirname, "..");
