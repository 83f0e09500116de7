// A step as a film: each moment shows what has run, what is ready, and the values on their way.
// The page has these constants: data (of the drawing), moments and values (texts by tensor). The first moment is before the
// step. A moment lists the nodes that ran first and those whose values arrived since the moment before.
'use strict';
const el=id=>document.getElementById(id);
let now=0;
const ran=[],arrived=new Map(); // in order; and the first moment at which a value was there
moments.forEach((m,i)=>{
  ran.push(...m.ran);
  m.runs=ran.length;
  for(const name of m.arrived)arrived.set(name,i);
});
const drawing=new GraphDrawing(el('graph'),dataSource(data),{film:true,select:seek,ready:()=>show(now)});
function valueOf(tensor){
  const name=tensor.split(' ')[0];
  return values[tensor]!==undefined?values[tensor]:values[name]!==undefined?values[name]:tensor.slice(name.length+1);
}
function list(id,items){el(id).textContent=items.length?items.join(' · '):'–'}
function show(i){
  now=Math.max(0,Math.min(i,moments.length-1));
  const m=moments[now],last=moments.length-1;
  el('what').textContent=(now?now+' of '+last+'   ':'')+m.what;
  el('at').textContent=now?(m.at/1000).toFixed(2)+' µs':'';
  list('done',ran.slice(0,m.runs));
  list('ready',m.ready);
  list('nottaken',m.nottaken);
  list('flight',m.flight.map(t=>values[t]===undefined?t:t+' '+values[t]));
  el('rendezvous').textContent=m.rendezvous.join('\n')||'–';
  const states=new Map();
  for(const name of m.nottaken)states.set(name,'nottaken');
  for(const name of m.ready)states.set(name,'ready');
  for(const [name,since] of arrived)if(since<=now)states.set(name,'done');
  drawing.setMarks({states,now:m.node,flight:new Map(m.flight.map(t=>[t.split(' ')[0],valueOf(t)]))});
  document.querySelectorAll('.timeline .bar').forEach(bar=>
    bar.classList.toggle('now',!!now&&bar.dataset.name===m.node&&+bar.dataset.end===m.at));
  el('slide').value=now;
}
// Goes to the next moment, after this one or from the start, at which the node runs.
function seek(name){
  if(!name||moments[now].node===name)return;
  const after=moments.findIndex((m,i)=>i>now&&m.node===name);
  const found=after>=0?after:moments.findIndex(m=>m.node===name);
  if(found>=0)show(found);
}
document.querySelector('.timeline')?.addEventListener('click',e=>{
  const bar=e.target.closest('.bar[data-name]');
  if(!bar)return;
  const exact=moments.findIndex(m=>m.node===bar.dataset.name&&m.at===+bar.dataset.end);
  if(exact>=0)show(exact);else seek(bar.dataset.name);
});
el('prev').onclick=()=>show(now-1);
el('next').onclick=()=>show(now+1);
el('slide').max=moments.length-1;
el('slide').oninput=e=>show(+e.target.value);
addEventListener('keydown',e=>{
  if(e.target.tagName==='INPUT'&&e.target.type!=='range')return;
  const moves={ArrowRight:1,ArrowLeft:-1,PageDown:1,PageUp:-1};
  if(e.key==='Home')show(0);
  else if(e.key==='End')show(moments.length-1);
  else if(moves[e.key]&&!e.shiftKey)show(now+moves[e.key]);
  else return;
  e.preventDefault();
});
