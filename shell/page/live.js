// The live page. It receives a snapshot after each command over the WebSocket, and asks about a node
// when it is clicked.
'use strict';
const el=id=>document.getElementById(id);
const still=new URLSearchParams(location.search).has('still');
let version=-1,state={},size=18,socket=null,asked=0,chosen='',events=0,known=new Set();
const answers=new Map(),drawings={},shown={};

function ask(question,then){
  if(!socket||socket.readyState!==1)return then&&then(null);
  const id=++asked;
  answers.set(id,then);
  socket.send(JSON.stringify({id,...question}));
}
const promise=question=>new Promise(then=>ask(question,then));
function part(box,tag,text,name){
  const e=make(tag,{},box,text);
  if(name)e.className=name;
  return e;
}

// ---- the drawings
function source(of,data){
  const around=name=>{
    for(const key in data.levels)
      if(data.levels[key].items.some(item=>item.name===name)){
        const keys=[];
        for(let at=key;at;at=data.levels[at].up)keys.unshift(at);
        return keys;
      }
    return [];
  };
  return {
    data,
    around,
    level:async key=>{
      const level=await promise({level:key,of});
      if(level&&level.items)data.levels[key]=level;
      return level&&level.items?level:null;
    },
    find:async text=>(await promise({find:text}))||{names:[],count:0},
    path:async name=>{
      const answer=await promise({path:name,of});
      return answer?answer.keys:around(name);
    },
  };
}
function draw(id,data){
  const text=JSON.stringify(data||null);
  if(shown[id]===text)return;
  shown[id]=text;
  el(id).hidden=!data;
  if(!data){delete drawings[id];el(id).textContent='';return}
  if(drawings[id]){
    drawings[id].source=source(id,data);
    drawings[id].take(data);
  }else drawings[id]=new GraphDrawing(el(id),source(id,data),{select:about,ready:id==='graph'?fresh:null});
}
// Marks what the last command added to the graph.
function fresh(){
  const drawing=drawings.graph;
  if(!drawing)return;
  const now=new Set([...drawing.names.keys(),...drawing.places.keys()]);
  if(known.size)
    for(const [name,box] of [...drawing.names,...drawing.places])
      if(!known.has(name)&&box.g)box.g.classList.add('new');
  known=now;
}
function svg(id,text){ // an SVG of ours, made of escaped text
  if(shown[id]===text)return;
  shown[id]=text;
  el(id).innerHTML=text||'';
}
el('timeline').onclick=e=>{
  const name=e.target.dataset&&e.target.dataset.name;
  if(name&&drawings.run)drawings.run.show(name);
};

// ---- a node
function links(box,label,names){
  if(!names||!names.length)return;
  const line=part(box,'div',label+' ');
  names.forEach(n=>{part(line,'a',n).onclick=()=>go(n)});
}
async function go(name){
  const keys=[...Object.values(drawings)];
  for(const drawing of keys)if(await drawing.show(name))return;
  about(name);
}
function about(name){
  chosen=name;
  for(const drawing of Object.values(drawings)){drawing.chosen=name;drawing.applyMarks()}
  if(!name){el('detail').hidden=true;return}
  ask({node:name},a=>{
    if(!a||chosen!==name)return;
    const box=el('detail');
    box.textContent='';
    const close=part(box,'button','×','close');
    close.setAttribute('aria-label','close');
    close.onclick=()=>about('');
    part(box,'strong',a.name);
    if(a.missing)part(box,'div','is not in the graph any more');
    else{
      part(box,'pre',a.line);
      a.values.forEach(v=>part(box,'pre','value '+v,'value'));
      if(!a.values.length&&state.request)part(box,'div','no value: it did not run, or gives none');
      if(a.why)part(box,'div',a.why);
      if(a.attrs&&a.attrs!=='{}')part(box,'pre',a.attrs);
      links(box,'takes',a.inputs);
      links(box,'goes to',a.consumers);
    }
    box.hidden=false;
  });
}

// ---- the snapshots
function show(s){
  state=s;
  el('command').textContent=s.command?(s.cell?'In['+s.cell+'] ':'')+s.command:'';
  el('error').hidden=!s.error;
  el('error').textContent=s.error||'';
  el('graph-head').textContent='Graph @'+(s.graph_version||0)+', '+(s.graph_nodes||0).toLocaleString('en')+' nodes'+
    (s.graph_nodes&&!s.graph?': too many to draw':'');
  el('run-head').textContent=s.request?'explain '+s.request:'No run yet: explain X, or explain analyze X';
  document.querySelector('main').classList.toggle('narrow',!s.run&&!s.plot);
  draw('graph',s.graph);
  draw('run',s.run);
  svg('timeline',s.timeline);
  svg('plot',s.plot);
  if(chosen)about(chosen);
  document.body.dataset.version=version;
}
function take(message){
  if(message.id!==undefined){
    const then=answers.get(message.id);
    answers.delete(message.id);
    if(then)then(message.answer);
  }else if(message.event){
    if(message.event.plot!==undefined){
      state.plot=message.event.plot;
      svg('plot',state.plot);
      document.querySelector('main').classList.remove('narrow');
    }
    document.body.dataset.events=++events;
  }else if(message.version!==version){
    version=message.version;
    show(message.state);
  }
}
function follow(){
  socket=new WebSocket('ws://'+location.host+'/ws');
  socket.onopen=()=>{el('lost').hidden=true};
  socket.onmessage=m=>take(JSON.parse(m.data));
  socket.onclose=()=>{
    el('lost').hidden=false;
    for(const then of answers.values())if(then)then(null);
    answers.clear();
    version=-1;
    setTimeout(follow,2000);
  };
}
const resize=by=>{size=Math.max(10,Math.min(size+by,60));document.documentElement.style.fontSize=size+'px'};
el('larger').onclick=()=>resize(3);
el('smaller').onclick=()=>resize(-3);
if(still)fetch('/state').then(a=>a.json()).then(take);else follow();
