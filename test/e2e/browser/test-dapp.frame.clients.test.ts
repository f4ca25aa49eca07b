import { defineTestDapp } from './test-dapp.js';

defineTestDapp('frame');
