import type { ProjectMember } from '@gatebook/js/admin';
import { userName } from '../../lib/user-name.ts';

export const memberName = (member: ProjectMember): string => userName({ ...member, isAnonymous: false });
