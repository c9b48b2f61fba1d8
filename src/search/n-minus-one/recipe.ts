import type { PlannedStep } from "../../sim/program.ts";
import type { Endpoint } from "../../systems/endpoint.ts";
import type { Course } from "../judge.ts";
import type { LedTo } from "./turns.ts";

/** All that a course comes of on the settled cluster: enough to play it anywhere. */
export interface Recipe {
  readonly steps: readonly PlannedStep[];
  /** Null: to its end. */
  readonly led: LedTo | null;
  /** The endpoints it is told of. */
  readonly told: readonly Endpoint[];
}

const recipes = new WeakMap<Course, Recipe>();

export function withRecipe(course: Course, recipe: Recipe): Course {
  recipes.set(course, recipe);
  return course;
}

/** Missing: the course cannot be played again by one. */
export function recipeOf(course: Course): Recipe | undefined {
  return recipes.get(course);
}
