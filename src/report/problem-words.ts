import type { Problem, Source } from "../base/problem.ts";

/** `pods.yaml:12: spec.containers: …` */
export function problemInWords(problem: Problem): string {
  const place = problem.file === "" ? "" : `${placeOf(problem)}: `;
  return `${place}${problem.path === "" ? "" : `${problem.path}: `}${problem.message}`;
}

export function placeOf({ file, line }: Source): string {
  return line === null ? file : `${file}:${line}`;
}
