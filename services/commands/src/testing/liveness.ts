export { isSessionAlive } from '../session/liveness.ts';
