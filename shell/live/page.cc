// The live page. It uses no library and no network. shell/explain and shell/plot make the drawings;
// the script inserts them, receives updates over the WebSocket, and asks about a node when it is
// clicked.
#include "shell/live/server.h"

namespace tensh::shell::live {

const char* const kPage = R"HTML(<!doctype html>
<html lang="en" data-theme="light"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>tensh</title>
<style>
:root{font-size:18px}
body{font:1rem/1.4 system-ui,sans-serif;margin:0;color:#1a202c;background:#fff}
header{position:sticky;top:0;z-index:2;background:#1a365d;color:#fff;padding:.5rem 1rem;display:flex;gap:1rem;align-items:center}
header h1{font-size:1.1rem;margin:0}#command{font-family:ui-monospace,monospace;flex:1;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
button,input{font:inherit;padding:.1rem .6rem}input{width:11rem}#lost{background:#c53030;padding:.1rem .6rem;border-radius:.3rem}
#error{background:#fff5f5;color:#9b2c2c;border-left:.4rem solid #c53030;margin:0;padding:.4rem 1rem;font-family:ui-monospace,monospace}
main{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1rem;padding:1rem}
main.narrow{grid-template-columns:1fr}@media(max-width:60rem){main{grid-template-columns:1fr}}
section{min-width:0}h2{font-size:1.05rem;margin:.2rem 0;color:#2c5282}h2 button{font-size:.8rem;margin-left:.6rem}
svg{max-width:100%;height:auto}#graph svg,#run svg{width:100%}g.node,g.scope:not(.open){cursor:pointer}g.node:hover rect,g.scope:not(.open):hover rect,.drawing g.node.on rect{fill:#faf089}
g.node:focus-visible{outline:2px solid #2b6cb0}.drawing g.new:not(.open) rect{fill:#c6f6d5}
pre{font:.85rem/1.3 ui-monospace,monospace;background:#f7fafc;padding:.6rem;overflow:auto;margin:.3rem 0;white-space:pre-wrap}
#detail{position:fixed;z-index:3;right:1rem;bottom:1rem;max-width:34rem;max-height:70vh;overflow:auto;background:#fffff0;border:2px solid #d69e2e;border-radius:.4rem;padding:.6rem 1rem}
#detail .close{float:right}#detail a,#found a{cursor:pointer;color:#2b6cb0;text-decoration:underline;margin-right:.6rem}
#detail .value{font-weight:600}#found{padding:.4rem 1rem;background:#ebf8ff}[hidden]{display:none!important}
</style>
<header><h1>tensh</h1><span id="command"></span><span id="lost" hidden>the session has ended</span>
<input id="find" type="search" placeholder="find a node" aria-label="find a node">
<button id="smaller" aria-label="smaller">A−</button><button id="larger" aria-label="larger">A+</button></header>
<p id="error" hidden></p><div id="found" hidden></div>
<main><section><h2><span id="graph-head">Graph</span><button id="fold" hidden>fold all</button></h2><div id="graph"></div></section>
<section><h2 id="run-head">No run yet</h2><div id="run"></div><div id="plot"></div></section></main>
<aside id="detail" hidden></aside>
<script src="/live.js"></script>
</html>
)HTML";

const char* const kScript = R"JS('use strict';
const el=id=>document.getElementById(id),all=(s,f)=>document.querySelectorAll(s).forEach(f);
const still=new URLSearchParams(location.search).has('still');
let version=-1,known=new Set(),state={},size=18,drawn={},socket=null,asked=0,chosen='',events=0;
const open={graph:[],run:[]},answers=new Map();
function ask(question,then){
  if(!socket||socket.readyState!==1)return;
  const id=++asked;
  answers.set(id,then);
  socket.send(JSON.stringify({id,...question}));
}
function draw(id,svg){ // an SVG of ours, made of escaped text
  if(drawn[id]===svg)return false;
  drawn[id]=svg;
  el(id).innerHTML=svg||'';
  el(id).querySelectorAll('g.node,g.scope:not(.open)').forEach(g=>{
    g.tabIndex=0;
    g.onclick=()=>g.dataset.scope?unfold(id,g.dataset.scope):about(g.dataset.name);
    g.onkeydown=e=>{if(e.key==='Enter')g.onclick()};
  });
  mark();
  return true;
}
function unfold(id,scope){
  open[id].push(scope);
  redraw(id);
}
function redraw(id){
  el('fold').hidden=!open.graph.length&&!open.run.length;
  if(open[id].length)ask({draw:id,open:open[id]},a=>draw(id,a.svg));else draw(id,state[id]);
}
function mark(){all('g.node',g=>g.classList.toggle('on',!!chosen&&g.dataset.name===chosen))}
function part(box,tag,text,name){
  const e=document.createElement(tag);
  e.textContent=text;
  if(name)e.className=name;
  box.append(e);
  return e;
}
function links(box,label,names){
  if(!names||!names.length)return;
  const line=part(box,'div',label+' ');
  names.forEach(n=>{part(line,'a',n).onclick=()=>about(n)});
}
function about(name){
  chosen=name;
  mark();
  ask({node:name},a=>{ // what it says is kept up as commands follow
    if(chosen!==name)return;
    const box=el('detail');
    box.textContent='';
    const close=part(box,'button','×','close');
    close.setAttribute('aria-label','close');
    close.onclick=()=>{chosen='';box.hidden=true;mark()};
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
function find(text){
  if(!text){el('found').hidden=true;return}
  ask({find:text},a=>{
    const box=el('found');
    box.textContent='';
    part(box,'span',a.count+(a.count===1?' node ':' nodes '));
    a.names.forEach(n=>{part(box,'a',n).onclick=()=>about(n)});
    if(a.count>a.names.length)part(box,'span','… and '+(a.count-a.names.length)+' more');
    box.hidden=false;
  });
}
function show(s){
  state=s;
  el('command').textContent=s.command?(s.cell?'In['+s.cell+'] ':'')+s.command:'';
  el('error').hidden=!s.error;el('error').textContent=s.error||'';
  el('graph-head').textContent='Graph @'+(s.graph_version||0)+', '+(s.graph_nodes||0)+' nodes'+
    (s.graph_nodes&&!s.graph?': too many to draw; find one by its name':'');
  const fresh=new Set();
  if(!open.graph.length&&draw('graph',s.graph)){
    all('#graph g.node,#graph g.scope',g=>{const n=g.dataset.name||g.dataset.scope;fresh.add(n);
      if(known.size&&!known.has(n))g.classList.add('new')});
    known=fresh;
  }
  if(open.graph.length)redraw('graph');
  if(open.run.length)redraw('run');else draw('run',s.run);
  draw('plot',s.plot);
  el('run-head').textContent=s.request?'explain '+s.request:'No run yet: explain X, or explain analyze X';
  document.querySelector('main').classList.toggle('narrow',!s.run&&!s.plot);
  if(chosen)about(chosen);
  document.body.dataset.version=version;
}
function take(message){
  if(message.id!==undefined){
    const then=answers.get(message.id);
    answers.delete(message.id);
    if(then)then(message.answer);
  }else if(message.event){
    if(message.event.plot!==undefined){state.plot=message.event.plot;draw('plot',state.plot);
      document.querySelector('main').classList.remove('narrow')}
    document.body.dataset.events=++events;
  }else if(message.version!==version){version=message.version;show(message.state)}
}
function follow(){
  socket=new WebSocket('ws://'+location.host+'/ws');
  socket.onopen=()=>{el('lost').hidden=true};
  socket.onmessage=m=>take(JSON.parse(m.data));
  socket.onclose=()=>{el('lost').hidden=false;answers.clear();version=-1;setTimeout(follow,2000)};
}
const resize=by=>{size=Math.max(10,Math.min(size+by,60));document.querySelector('main').style.zoom=size/18};
el('larger').onclick=()=>resize(3);
el('smaller').onclick=()=>resize(-3);
el('fold').onclick=()=>{open.graph=[];open.run=[];redraw('graph');redraw('run')};
el('find').oninput=e=>find(e.target.value.trim());
if(still)fetch('/state').then(a=>a.json()).then(take);else follow();
)JS";

}  // namespace tensh::shell::live
