/** Where wrapped keys are stored, outside the log. */
export type KeyStore = {
  /** Wrapped keys of the given subjects; null for an erased subject, absent for an unknown one. */
  loadSubjects(subjectIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /**
   * Stores a key for each subject that has none and was never erased. `addressRefs`: by subject, the keyed hash of the
   * address in the subject's facts, for subjects that are not users. @returns the stored key of each subject
   */
  addSubjects(
    wrapped: ReadonlyMap<string, string>,
    addressRefs?: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, string | null>>;
  /** Destroys the key and marks the subject as erased forever. Idempotent. */
  eraseSubject(subjectId: string): Promise<void>;
  /**
   * Destroys the keys of all subjects whose data contains this address; with `madeBefore` (ISO time), only older keys.
   */
  eraseAddress(addressRef: string, madeBefore?: string): Promise<void>;
  /**
   * Calls back with each subject that any process erased, or with `onGap` if some may have been missed. @returns a
   * function that stops watching
   */
  onErased(listener: (subjectId: string) => void, onGap: () => void): Promise<() => Promise<void>>;
};
