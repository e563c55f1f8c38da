/** Where wrapped keys lie, outside the log. */
export type KeyStore = {
  /** Wrapped keys of the given subjects; null for an erased one, absent for one never seen. */
  loadSubjects(subjectIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /**
   * Keeps a key for each subject that has none yet and was never erased. `addressRefs`: by subject, the keyed hash of the address
   * that the subject's facts tell, for subjects that are no users. @returns what now stands there for each
   */
  addSubjects(
    wrapped: ReadonlyMap<string, string>,
    addressRefs?: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, string | null>>;
  /** Destroys the key and marks the subject as erased for good. Erasing twice does nothing. */
  eraseSubject(subjectId: string): Promise<void>;
  /** Destroys the keys of all subjects whose facts tell this address; with `madeBefore` (ISO time) only those that are older. */
  eraseAddress(addressRef: string, madeBefore?: string): Promise<void>;
  /** Calls back with each subject erased by any process, or with `onGap` when some may have been missed. @returns a function that ends the watch */
  onErased(listener: (subjectId: string) => void, onGap: () => void): Promise<() => Promise<void>>;
};
