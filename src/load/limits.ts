/** How much is read at most. Every limit reached is a problem that names it. */
export interface InputLimits {
  readonly fileBytes: number;
  readonly totalBytes: number;
  /** One object of a JSON input. etcd stores none above 1.5 MB. */
  readonly objectBytes: number;
  /** One YAML document: YAML is read whole. */
  readonly yamlDocumentBytes: number;
  /** One YAML document with more than plain YAML in it (anchors, tags, folded texts): that takes far longer to read. */
  readonly unusualYamlBytes: number;
  /** A compressed file, once unpacked: it is unpacked whole. */
  readonly unpackedBytes: number;
  readonly files: number;
  /** Folders inside folders. */
  readonly folderDepth: number;
  /** Problems listed; later ones are counted. */
  readonly problems: number;
  /** Broken places in one input, after which it is no use to go on. */
  readonly brokenPlaces: number;
}

export const defaultLimits: InputLimits = {
  fileBytes: 8 * 2 ** 30,
  totalBytes: 16 * 2 ** 30,
  objectBytes: 32 * 2 ** 20,
  yamlDocumentBytes: 128 * 2 ** 20,
  unusualYamlBytes: 4 * 2 ** 20,
  unpackedBytes: 2 ** 31 - 1,
  files: 200_000,
  folderDepth: 32,
  problems: 1000,
  brokenPlaces: 10_000,
};
