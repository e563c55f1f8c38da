import type { Decider } from '../decider.ts';
import type { ProjectClosureEvent } from './events.ts';

type CloseProject = { type: 'CloseProject'; projectId: string; at: string };

/** A project is closed once and never reopened. */
export const projectClosureDecider: Decider<{ isClosed: boolean }, CloseProject, ProjectClosureEvent> = {
  initialState: { isClosed: false },
  decide: ({ projectId, at }, { isClosed }) => (isClosed ? [] : [{ type: 'ProjectClosed', data: { projectId, at } }]),
  evolve: () => ({ isClosed: true }),
};
