/** Loads something at its first use. After a failed load, the next use loads it again. */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;

  async function loadOrForget(): Promise<Loaded> {
    try {
      return await load();
    } catch (error) {
      loading = undefined;
      throw error;
    }
  }

  return () => {
    loading ??= loadOrForget();
    return loading;
  };
}
