import { command } from "../command.ts";
import { helpFlag } from "../flags.ts";

export const completion = command({
  name: "completion",
  summary: "prints a shell completion script",
  usage: "bash|zsh|fish",
  description: [],
  examples: [
    { says: "bash, this session", command: "source <(holdfast completion bash)" },
    { says: "zsh, for good", command: 'holdfast completion zsh > "$' + '{fpath[1]}/_holdfast"' },
    { says: "fish, for good", command: "holdfast completion fish > ~/.config/fish/completions/holdfast.fish" },
  ],
  operands: { least: 1, most: 1, name: "a shell: bash, zsh or fish" },
  flags: [helpFlag],
  run: async (parsed, shell) => (await import("./completion-run.ts")).runCompletion(parsed, shell),
});
