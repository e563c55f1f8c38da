/** How an endpoint does: nothing is known yet, its latest attempts failed, or one of them succeeded. */
type State = 'new' | 'failing' | 'working';

/** Requests to one endpoint that run at once in this process. */
const ofEndpoint: Readonly<Record<State, number>> = { new: 5, failing: 2, working: 20 };
/** Requests of one project, and of all, that run at once in this process. */
const ofProject = 100;
const ofProcess = 300;
/** How much of these is open to endpoints that may hang: what is left is for the others. */
const shares: Readonly<Record<State, number>> = { failing: 0.5, new: 0.75, working: 1 };
/** Endpoints that are remembered. */
const maxStates = 10_000;

type Endpoint = { id: string; projectId: string };

/** Limits the requests that run at once, so that receivers that hang do not hold up those that answer. */
export type Slots = {
  /** How many more requests to this endpoint can begin now. 0 also for a few: they would cost as much as many. */
  room(endpoint: Endpoint): number;
  take(endpoint: Endpoint, count: number): void;
  give(endpoint: Endpoint, count: number): void;
  note(endpointId: string, hasSucceeded: boolean): void;
};

export function createSlots(): Slots {
  const states = new Map<string, State>();
  const taken = new Map<string, number>();
  let all = 0;
  const takenOf = (id: string) => taken.get(id) ?? 0;

  function change({ id, projectId }: Endpoint, by: number): void {
    all += by;
    for (const key of [id, `project ${projectId}`]) {
      const count = takenOf(key) + by;
      if (count === 0) taken.delete(key);
      else taken.set(key, count);
    }
  }

  return {
    room: ({ id, projectId }) => {
      const state = states.get(id) ?? 'new';
      const share = shares[state];
      const room = Math.min(
        ofEndpoint[state] - takenOf(id),
        ofProject * share - takenOf(`project ${projectId}`),
        ofProcess * share - all,
      );
      return room < ofEndpoint[state] / 2 ? 0 : Math.floor(room);
    },
    take: (endpoint, count) => change(endpoint, count),
    give: (endpoint, count) => change(endpoint, -count),
    note: (endpointId, hasSucceeded) => {
      states.delete(endpointId);
      states.set(endpointId, hasSucceeded ? 'working' : 'failing');
      const [oldest] = states.keys();
      if (states.size > maxStates && oldest !== undefined) states.delete(oldest);
    },
  };
}
