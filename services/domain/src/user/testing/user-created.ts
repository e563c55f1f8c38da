import { type UserEvent, unknownSignIn } from '../events.ts';

type UserCreated = Extract<UserEvent, { type: 'UserCreated' }>;
type Given = Pick<UserCreated['data'], 'userId' | 'projectId' | 'at'> & Partial<UserCreated['data']>;

/** The event of a user who signed up with a password, without a profile. */
export const userCreated = (given: Given): UserCreated => ({
  type: 'UserCreated',
  data: {
    ...unknownSignIn,
    ...{ displayName: null, profileImageUrl: null, isAnonymous: false, method: 'password' },
    ...{ clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null },
    ...given,
  },
});
