import type { Course } from "./judge.ts";

/** A course that is played when something of it is asked for: of thousands few are shown. */
export function playedAgain(play: () => Course): Course {
  return new PlayedAgain(play);
}

/** The same with other spells of being down. It is played now. */
export function withDowns(course: Course, downs: Course["downs"]): Course {
  const { timeline, drains, choices, settled, services, pending } = course;
  return { timeline, drains, choices, settled, downs, services, pending, stalls: () => course.stalls() };
}

/** Small, as there are so many; its fields are no own ones, so that a spread copies none of them. */
class PlayedAgain implements Course {
  readonly #play: () => Course;
  #known: Course | null = null;

  constructor(play: () => Course) {
    this.#play = play;
  }

  get #course(): Course {
    this.#known ??= this.#play();
    return this.#known;
  }

  get timeline(): Course["timeline"] {
    return this.#course.timeline;
  }
  get drains(): Course["drains"] {
    return this.#course.drains;
  }
  get choices(): Course["choices"] {
    return this.#course.choices;
  }
  get settled(): Course["settled"] {
    return this.#course.settled;
  }
  get downs(): Course["downs"] {
    return this.#course.downs;
  }
  get services(): Course["services"] {
    return this.#course.services;
  }
  get pending(): Course["pending"] {
    return this.#course.pending;
  }
  stalls(): ReturnType<Course["stalls"]> {
    return this.#course.stalls();
  }
}
