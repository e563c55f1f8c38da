import type { TeamMember } from '@gatebook/js/admin';
import { userName } from '../../lib/user-name.ts';

export const nameOf = ({ displayName, user }: TeamMember): string => displayName || userName(user);
