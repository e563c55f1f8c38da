/** Collects errors that browsers and servers run into, until a test takes them. */
export type Faults = {
  add(fault: string): void;
  /** Reports a response of 400 or more as `POST /path 400 CODE`. */
  addResponse(response: FaultyResponse): void;
  /** Errors since the last call, without those that match `tolerated`. */
  take(tolerated?: RegExp): string[];
};
export type FaultyResponse = {
  method: string;
  path: string;
  status: number;
  header(name: string): string | undefined;
};

/** The library's hooks ask once more after a session has ended. */
export const asksWithoutSession = /^GET \S+ 400 CANNOT_GET_OWN_USER_WITHOUT_USER$/;

export function createFaults(): Faults {
  let faults: string[] = [];
  const add = (fault: string) => {
    faults.push(fault);
  };
  return {
    add,
    addResponse: ({ method, path, status, header }) => {
      // Clients ask for status 200 with the real status in a header.
      const real = Number(header('x-stack-actual-status') ?? status);
      if (real < 400) return;
      add(`${method} ${path.split('?', 1)[0]} ${real} ${header('x-stack-known-error') ?? ''}`.trim());
    },
    take: (tolerated) => {
      const taken = faults.filter((fault) => !tolerated?.test(fault));
      faults = [];
      return taken;
    },
  };
}
