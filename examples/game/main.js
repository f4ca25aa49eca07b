import { signScore } from './sign-score.js';

const canvas = document.querySelector('#orchard');
const score = document.querySelector('#score');
const sign = document.querySelector('#sign');
const context = canvas.getContext('2d');

const radius = 14;
let apple;
let picked = 0;
let start;

function grow() {
  const within = (size) => radius + Math.random() * (size - 2 * radius);
  apple = { x: within(canvas.width), y: within(canvas.height) };
}

function draw() {
  context.fillStyle = '#2f6f3e';
  context.fillRect(0, 0, canvas.width, canvas.height);
  if (picked < 5) {
    context.fillStyle = '#e02020';
    context.beginPath();
    context.arc(apple.x, apple.y, radius, 0, 2 * Math.PI);
    context.fill();
  }
}

canvas.onpointerdown = ({ offsetX, offsetY }) => {
  if (picked === 5 || Math.hypot(offsetX - apple.x, offsetY - apple.y) > radius) return;
  start ??= performance.now();
  picked += 1;
  grow();
  draw();
  score.textContent = `${picked} of 5`;
  if (picked === 5) finish(((performance.now() - start) / 1000).toFixed(1));
};

function finish(seconds) {
  const message = `I picked five apples in ${seconds} s.`;
  score.textContent = message;
  sign.hidden = false;
  sign.onclick = async () => {
    try {
      const { account, signature } = await signScore(message);
      sign.hidden = true;
      score.textContent = `${message} ${account} ${signature}`;
    } catch (error) {
      score.textContent = error.code === 4001 ? `${message} Not signed.` : error.message;
    }
  };
}

grow();
draw();
