import type {
  GatebookClientApp as ClientAppOfCore,
  CurrentUser as CurrentUserOfApp,
  GetUserOptions,
  Read,
  TeamCreateOptions,
  Team as TeamOfApp,
} from '@gatebook/js';

type HookName<Name> = Name extends `${'list' | 'get'}${infer Rest}` ? `use${Rest}` : never;

/** A hook for each read: `useTeams()` returns what `listTeams()` resolves to, and suspends until it is loaded. */
export type Hooks<Target> = {
  readonly [Name in keyof Target as Target[Name] extends Read<never, unknown>
    ? HookName<Name>
    : never]: Target[Name] extends Read<infer Args, infer Value> ? (...args: Args) => Value : never;
};

export type Team = TeamOfApp & Hooks<TeamOfApp>;

type UserWithTeams = Omit<CurrentUserOfApp, 'selectedTeam' | 'listTeams' | 'getTeam' | 'createTeam'> & {
  readonly selectedTeam: Team | null;
  listTeams: Read<[], Team[]>;
  /** Null unless the user is a member. */
  getTeam: Read<[id: string], Team | null>;
  createTeam(options: TeamCreateOptions): Promise<Team>;
};
export type CurrentUser = UserWithTeams & Hooks<UserWithTeams>;

type AppOfCore<ProjectId extends string> = ClientAppOfCore<ProjectId, CurrentUser>;

/** What `useUser` does without a user that counts. */
export type UseUserOptions = GetUserOptions;
type Certain = 'redirect' | 'throw' | 'anonymous';

/** Suspends until the user is loaded (protocol, client §9). */
export type UseUser<Extra = object> = {
  (options: UseUserOptions & Extra & { or: Certain }): CurrentUser;
  (options?: UseUserOptions & Extra): CurrentUser | null;
};

export type GatebookClientApp<ProjectId extends string = string> = AppOfCore<ProjectId> &
  Hooks<AppOfCore<ProjectId>> & { useUser: UseUser };
