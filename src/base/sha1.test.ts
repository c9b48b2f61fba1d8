import { rows } from "../../test/support/rows.ts";
import { sha1 } from "./sha1.ts";

/** FIPS 180 examples, and a LeaderWorkerSet's group key as its webhook wrote it. */
rows<string, string>("sha1", sha1, [
  ["nothing", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"],
  ["one block", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"],
  [
    "two blocks",
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
  ],
  ["beyond ASCII", "é😀", "9c286deb5d7549eafd1dcb2b58e0b573bc1b4a97"],
  ["a group's key", "llm/deepseek-0", "bccbe956e856ab9f2996f29ae4c3d3441880ea6b"],
]);
