/** What is stored about new subjects. */
export type SubjectOrigin = {
  /** The project that the subjects belong to, with which their keys are erased. */
  projectId?: string;
  /**
   * By subject, the keyed hash of the address in the subject's facts, for subjects that are not users. Erasing the
   * address erases the key.
   */
  addressRefs?: ReadonlyMap<string, string>;
};

/** `wrapped` is null for an erased subject, `projectId` for one that was added without a project. */
export type StoredKey = { wrapped: string | null; projectId: string | null };
export type Erased = { subjectId: string } | { projectId: string };

/** Where wrapped keys are stored, outside the log. */
export type KeyStore = {
  /** Keys of the given subjects; absent for an unknown one. */
  loadSubjects(subjectIds: readonly string[]): Promise<ReadonlyMap<string, StoredKey>>;
  /**
   * Stores a key for each subject that has none and was never erased, unless its project was erased. @returns the
   * stored key of each subject
   */
  addSubjects(wrapped: ReadonlyMap<string, string>, origin?: SubjectOrigin): Promise<ReadonlyMap<string, StoredKey>>;
  /** Destroys the key and marks the subject as erased forever. Idempotent. */
  eraseSubject(subjectId: string): Promise<void>;
  /**
   * Destroys the keys of all subjects whose data contains this address; with `madeBefore` (ISO time), only older keys.
   */
  eraseAddress(addressRef: string, madeBefore?: string): Promise<void>;
  /**
   * From now on, no key of the project is read or added. Destroys at most `limit` of its keys: fewer if no more are
   * left. @returns how many
   */
  eraseProject(projectId: string, limit: number): Promise<number>;
  /**
   * Calls back with each subject and project that any process erased, or with `onGap` if some may have been missed.
   * @returns a function that stops watching
   */
  onErased(listener: (erased: Erased) => void, onGap: () => void): Promise<() => Promise<void>>;
};
