export type StoredTokens = { accessToken: string | null; refreshToken: string | null };

export type TokenStore = {
  read(): StoredTokens;
  write(tokens: StoredTokens): void;
  /** Called after every change, also by other tabs. */
  subscribe(listener: () => void): () => void;
};
