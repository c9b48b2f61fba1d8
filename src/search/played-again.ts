import type { Course } from "./judge.ts";

/** A course that is played when something of it is asked for: of thousands few are shown. */
export function playedAgain(play: () => Course): Course {
  let known: Course | null = null;
  const course = (): Course => {
    known ??= play();
    return known;
  };
  return {
    get timeline() {
      return course().timeline;
    },
    get drains() {
      return course().drains;
    },
    get choices() {
      return course().choices;
    },
    get settled() {
      return course().settled;
    },
    get downs() {
      return course().downs;
    },
    get services() {
      return course().services;
    },
    get pending() {
      return course().pending;
    },
    stalls: () => course().stalls(),
  };
}
