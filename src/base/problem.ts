/** Where something was read. `line` counts from 1; null where the input has no lines (a live API). */
export interface Source {
  readonly file: string;
  readonly line: number | null;
}

/** Something wrong with the input. All problems of an input are collected, never only the first. */
export interface Problem {
  readonly file: string;
  readonly line: number | null;
  /** Field path inside the object, `spec.template.spec.containers[0].resources.requests.cpu`; "" for the whole. */
  readonly path: string;
  readonly message: string;
}
