import type {
  AuditClient,
  ChangesClient,
  ExplanationsClient,
  PermissionsClient,
  ProjectMembersClient,
  TeamsClient,
  UserBatchesClient,
  UsersClient,
  WebhooksClient,
} from '@gatebook/js/admin';
import type { EventMethods } from '@gatebook/js/events';
import { never } from './render.tsx';

/** Clients that reject every call; a test overrides the calls it expects. */
export const noPermissions: PermissionsClient = {
  list: never,
  create: never,
  update: never,
  delete: never,
  listGrants: never,
  listHolders: never,
  countHolders: async () => new Map(),
  grant: never,
  revoke: never,
};
export const noMembers: ProjectMembersClient = {
  list: never,
  setRole: never,
  remove: never,
  leave: never,
  listInvitations: never,
  invite: never,
  transfer: never,
  resendInvitation: never,
  revokeInvitation: never,
};
export const noUsers: UsersClient = {
  list: never,
  search: never,
  findPreviousPage: never,
  count: never,
  find: never,
  create: never,
  update: never,
  delete: never,
  listDeleted: never,
  restore: never,
  erase: never,
  export: never,
  impersonate: never,
  listAccounts: never,
  unlinkAccount: never,
  sendPasswordReset: never,
  previewMerge: never,
  merge: never,
};
export const noUserBatches: UserBatchesClient = {
  preview: never,
  start: never,
  list: never,
  find: never,
  listFailures: never,
  cancel: never,
  previewUndo: never,
  undo: never,
};
export const noTeams: TeamsClient = {
  list: never,
  search: never,
  listOf: never,
  find: never,
  create: never,
  update: never,
  delete: never,
  listMembers: never,
  addMember: never,
  removeMember: never,
  listInvitations: never,
  invite: never,
  revokeInvitation: never,
  listDeleted: never,
  restore: never,
  erase: never,
};
export const noAudit: AuditClient = {
  list: never,
  follow: () => {
    throw new Error('no live stream');
  },
  recordUserExport: never,
  openExport: never,
  find: never,
  timeline: never,
  listTypes: never,
  findChain: never,
  compare: never,
  compareWithNow: never,
};
export const noExplanations: ExplanationsClient = { permission: never, rejection: never };
export const noChanges: ChangesClient = {
  preview: never,
  writePreviewed: never,
  write: never,
  findAction: never,
  undo: never,
};
export const noEvents: EventMethods = {
  listEvents: never,
  getEvent: never,
  listEventTypes: never,
  followEvents: () => {
    throw new Error('no live stream');
  },
};
export const noWebhooks: WebhooksClient = {
  list: never,
  find: never,
  create: never,
  update: never,
  delete: never,
  findSecret: never,
  rotateSecret: never,
  test: never,
  listDeliveries: never,
  findDelivery: never,
  resend: never,
  replay: never,
  findReplay: never,
  cancelReplay: never,
  createPageToken: never,
};
